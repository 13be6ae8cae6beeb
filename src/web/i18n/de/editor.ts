export const editor = {
  'editor.open': 'Im Editor öffnen',
  'editor.run': 'Mit dem Befehl der Konfiguration öffnen',
  'editor.runDiff': 'Mit dem Befehl der Konfiguration vergleichen',
  'editor.command': 'Die Konfigurationsdatei dieses Servers öffnet Dateien mit: {command}',
  'editor.noCommand':
    'Ein Befehl, der Dateien auf der Maschine öffnet, die sie hat, kann in der Konfigurationsdatei als „editor“ gesetzt werden.',
  'editor.editor': 'Texteditor',
  'editor.where':
    'Dateien lassen sich von hier aus darin öffnen, wo dieser Browser auf der Maschine läuft, die sie hat.',
  'editor.none': 'Keiner',
  'editor.own': 'Eine eigene Adresse',
  'editor.address': 'Adresse des Editors',
  'editor.addressHint':
    '{path} ist der ganze Pfad, {line} eine Zeile, {machine} die Maschine, die die Datei hat. Sie wird benutzt, wohin auch immer sie führt.',
  'editor.problem.no-address': 'Das ist keine Adresse.',
  'editor.problem.forbidden': 'Eine Adresse dieser Art öffnet keinen Editor.',
  'editor.problem.no-path': 'Sie sagt nicht, wohin der Pfad kommt.',
  'patch.menu': 'Als Patch…',
  'patch.title': 'Als Patch',
  'patch.of': 'Wovon',
  'patch.all_one': 'Alles ({count} Datei)',
  'patch.all_other': 'Alles ({count} Dateien)',
  'patch.copy': 'Kopieren',
  'patch.save': 'Speichern',
  'patch.missing_one': '{count} Datei ist nicht darin: sie ist kein Text, oder der Patch würde zu lang.',
  'patch.missing_other':
    '{count} Dateien sind nicht darin: sie sind kein Text, oder der Patch würde zu lang.',
  'patch.cut': 'Er ist länger, als sich erzählen lässt, und endet vor den letzten Dateien.',
} as const;
