export const machines = {
  'machine.name': 'Rechner',
  'machine.local': 'Der des Servers',
  'machine.home': 'Sein Home-Verzeichnis: {path}',
  'machine.away': 'nicht erreichbar seit',
  'machine.choiceAway': '{name} (nicht erreichbar)',
  'machine.undelivered': 'noch nicht zugestellt: {machine} ist nicht erreichbar',
  'machine.awayText':
    'Der Agent läuft dort weiter. Antworten und Nachrichten werden aufgehoben und zugestellt, sobald {machine} wieder da ist.',

  'machines.title': 'Rechner',
  'machines.text':
    'Wo Agenten laufen. Ist einer nicht erreichbar, geht nichts verloren: Seine Agenten laufen weiter, und was du antwortest, wartet auf ihn.',
  'machines.none': 'Es gibt nur den Rechner des Servers.',
  'machines.reachable': 'Erreichbar',
  'machines.unreachable': 'Nicht erreichbar',
  'machines.for': 'seit',
  'machines.version': 'Beckon {version}',
  'machines.sessions_one': '{count} Sitzung',
  'machines.sessions_other': '{count} Sitzungen',
  'machines.pending_one': '{count} Anfrage wartet auf dich',
  'machines.pending_other': '{count} Anfragen warten auf dich',
  'machines.load': '{percent} ausgelastet, {free} von {total} GB Speicher frei',
  'machines.agents': 'Agenten',
  'machines.noAgents': 'Dort wurde kein Agent gefunden.',
  'machines.giveUp': 'Aufgeben …',
  'machines.giveUpTitle': '{machine} aufgeben?',
  'machines.giveUpWhen':
    'Für einen Rechner, der nicht wiederkommt. Solange er wiederkommen kann, ist nichts zu tun: Alles wartet auf ihn.',
  'machines.giveUpSessions_one': '{count} Sitzung endet als gescheitert. Ihr Gespräch bleibt.',
  'machines.giveUpSessions_other': '{count} Sitzungen enden als gescheitert. Ihre Gespräche bleiben.',
  'machines.giveUpAsks_one':
    'Was darin gefragt ist ({count}), endet als verloren: Niemand hat dann geantwortet.',
  'machines.giveUpAsks_other':
    'Was darin gefragt ist ({count}), endet als verloren: Niemand hat dann geantwortet.',
  'machines.giveUpAnswers':
    'Eine Antwort, die noch nicht zugestellt ist, wird als eine vermerkt, die vielleicht angekommen ist.',
  'machines.giveUpAgents':
    'Agenten, die dort noch laufen, laufen ungesehen weiter. Kommt der Rechner zurück, stehen sie hier und lassen sich beenden oder zurückholen.',
  'machines.giveUpNow': 'Aufgeben',
  'machines.givenUp': '{machine} wurde aufgegeben.',
  'machines.unclaimed': 'Agenten dort, die zu keiner Sitzung gehören',
  'machines.unknownSession': 'Eine Sitzung, die dieser Server nicht kennt',
  'machines.ended': 'hat geendet',
  'machines.take': 'Zurückholen',
  'machines.takeHint': 'Seine Sitzung geht mit ihm weiter, und worauf er wartet, wird noch einmal gefragt.',
  'machines.taken': '„{title}“ geht weiter.',
  'machines.end': 'Beenden',
  'machines.confirmEnd': 'Noch einmal drücken, um ihn zu beenden',
} as const;
