export const deleteSession = {
  'delete.title': 'Diese Sitzung löschen?',
  'delete.goes': 'Für immer, und mit ihr:',
  'delete.log_one': 'das Gespräch und sein Protokoll ({count} Ereignis)',
  'delete.log_other': 'das Gespräch und sein Protokoll ({count} Ereignisse)',
  'delete.images': 'die Bilder darin',
  'delete.raw': 'die rohe Ausgabe des Agenten',
  'delete.anyGrants': 'was du für diese Sitzung erlaubt hast',
  'delete.grants_one': 'was du für diese Sitzung erlaubt hast ({count} Freigabe)',
  'delete.grants_other': 'was du für diese Sitzung erlaubt hast ({count} Freigaben)',
  'delete.stays':
    'Dateien, die der Agent geschrieben hat, bleiben. Um die Sitzung nur wegzuräumen, archiviere sie.',
  'delete.keptGrants_one': 'Auch {count} Freigabe, die immer gilt, bleibt; sie steht in den Einstellungen.',
  'delete.keptGrants_other':
    'Auch {count} Freigaben, die immer gelten, bleiben; sie stehen in den Einstellungen.',
  'delete.stopsFirst': 'Sie läuft noch und wird zuerst gestoppt.',
  'delete.delete': 'Löschen',
  'delete.stopAndDelete': 'Stoppen und löschen',
} as const;
