export const less = {
  'trust.title': 'Eine Weile alles erlauben?',
  'trust.lead':
    'Was diese Sitzung erbittet, wird ohne Rückfrage erlaubt, bis die Zeit um ist oder du sie beendest.',
  'trust.minutes': 'Wie lange',
  'trust.minutesCount_one': '{count} Minute',
  'trust.minutesCount_other': '{count} Minuten',
  'trust.still': 'Du wirst weiterhin gefragt bei:',
  'trust.still.person': 'Fragen, Plänen, Formularen und allem, was auf einem Menschen besteht',
  'trust.still.files': 'Geheimnissen, Dateien, die Programme starten, und allem außerhalb von {directory}',
  'trust.still.commands':
    'Befehlen mit sudo oder ssh, die hochladen oder veröffentlichen, außerhalb des Projekts löschen oder Geladenes ausführen',
  'trust.still.unknown': 'Adressen dieses Netzes und allem, dessen Wirkung sich nicht sagen lässt',
  'trust.noWall':
    'Programme, die sie startet, können alles, was du kannst, auch das hier Genannte. Jeder Aufruf wird festgehalten und am Ende aufgelistet.',
  'trust.open_one': '{count} Anfrage ist offen; sie bleibt dir zur Antwort.',
  'trust.open_other': '{count} Anfragen sind offen; sie bleiben dir zur Antwort.',
  'trust.give_one': '{count} Minute lang alles erlauben',
  'trust.give_other': '{count} Minuten lang alles erlauben',
  'trust.left': 'Noch {left} ist alles erlaubt',
  'trust.leftShort': 'noch {left} Vertrauen',
  'trust.uses_one': '{count} Aufruf bisher',
  'trust.uses_other': '{count} Aufrufe bisher',
  'trust.end': 'Jetzt beenden',
  'trust.endOf': 'Jetzt beenden: die Zeit des Vertrauens von {title}',
  'trust.show': 'Zeigen',
  'trust.hide': 'Verbergen',
} as const;
