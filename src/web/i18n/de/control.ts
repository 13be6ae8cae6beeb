export const control = {
  'control.title': 'Leitstand',
  'control.new': 'Neue Sitzung',
  'control.nothingLive': 'Es läuft nichts.',
  'control.nothingSaid': 'Noch nichts gesagt.',
  'control.asleep_one': '{count} schläft',
  'control.asleep_other': '{count} schlafen',

  'summary.needs-you_one': '{count} braucht dich',
  'summary.needs-you_other': '{count} brauchen dich',
  'summary.working_one': '{count} arbeitet',
  'summary.working_other': '{count} arbeiten',
  'summary.idle_one': '{count} bereit',
  'summary.idle_other': '{count} bereit',

  'first.title': 'Ein Leitstand für programmierende Agenten',
  'first.what':
    'Starte einen Agenten oder fünfzig, sieh ihnen bei der Arbeit zu und sprich mit ihnen aus jedem Browser.',
  'first.how':
    'Braucht einer dich, um einen Befehl zu erlauben oder zwischen zwei Wegen zu wählen, meldet er sich hier und wartet.',
  'first.promise':
    'Nichts, was du gefragt wurdest oder gesagt hast, geht verloren, und nie wird etwas für dich entschieden.',
  'first.demo': 'Erst einmal umsehen',
  'first.demoText':
    'Ein eingebauter Agent zeigt dir in einer Minute eine Freigabe und eine Frage. Ohne Konto, ohne Netz.',
  'first.tryDemo': 'Demo ausprobieren',
  'first.demoTitle': 'Rundgang mit der Demo',
  'first.claude': 'Einen Agenten arbeiten lassen',
  'first.claudeLooking': 'Claude Code wird gesucht …',
  'first.claudeFound': 'Claude Code wurde auf diesem Rechner gefunden.',
  'first.claudeFoundVersion': 'Claude Code {version} wurde auf diesem Rechner gefunden.',
  'first.claudeMissing': 'Claude Code wurde auf diesem Rechner nicht gefunden.',
  'first.startClaude': 'Claude Code starten',
} as const;
