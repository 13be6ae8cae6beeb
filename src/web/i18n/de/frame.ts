export const frame = {
  'ui.close': 'Schließen',
  'ui.cancel': 'Abbrechen',

  'error.untilRestart':
    'Gilt, bis der Server endet, ließ sich aber nicht speichern. Beckon versucht es weiter; endet der Server vorher, ist alles wie zuvor.',
  'error.unreachable':
    'Beckon ist gerade nicht erreichbar. Es wurde nichts gesendet; versuche es gleich noch einmal.',

  'frame.noPage': 'Unter dieser Adresse gibt es keine Seite',
  'frame.skip': 'Zum Inhalt springen',
  'frame.navigation': 'Seiten',
  'frame.control': 'Leitstand',
  'frame.controlShort': 'Leitstand',
  'frame.board': 'Tafel',
  'frame.inbox': 'Eingang',
  'frame.settings': 'Einstellungen',
  'frame.sessions': 'Sitzungen',
  'frame.palette': 'Suche und Befehle',
  'frame.hideList': 'Sitzungen ausblenden',
  'frame.showList': 'Sitzungen einblenden',
  'frame.withCount_one': '{name}, {count} wartet auf dich',
  'frame.withCount_other': '{name}, {count} warten auf dich',
  'frame.noSessions': 'Noch keine.',
  'frame.lost': 'Verbindung verloren. Was du geschrieben hast, ist sicher; Beckon versucht es weiter.',
  'frame.retry': 'Jetzt versuchen',
  'frame.newer':
    'Beckon wurde auf {version} aktualisiert. Seite neu laden, um es zu nutzen; Entwürfe bleiben.',
  'frame.reload': 'Neu laden',
  'storage.disk-full':
    'Nichts lässt sich speichern: Die Platte ist voll. Was Agenten sagen, wartet; Antworten und Nachrichten werden abgelehnt, bis Platz ist.',
  'storage.read-only':
    'Nichts lässt sich speichern: Platte oder Datenbank sind schreibgeschützt. Du kannst alles ansehen und nichts ändern.',
  'storage.disk-error': 'Nichts lässt sich speichern: Die Platte meldet einen Fehler.',
  'storage.room.low': 'Die Platte ist fast voll: Agenten, die viel ausgeben, warten, bis Platz ist.',
  'storage.room.none': 'Die Platte ist fast voll: Alle Agenten warten, bis Platz ist.',
  'storage.missingAfter': 'Ereignisse nach {time} fehlen vielleicht:',
  'storage.missing': 'Frühere Ereignisse fehlen vielleicht:',
  'storage.log-missing': 'Das Write-Ahead-Log war weg, als Beckon startete.',
  'storage.log-damaged': 'Das Write-Ahead-Log war beschädigt, als Beckon startete.',
  'storage.database-missing': 'Die Datenbank war weg, als Beckon startete.',
  'storage.kept': 'Es liegt noch als {file} da.',
  'storage.damaged': 'Auch die Datenbank selbst ist beschädigt.',
  'storage.read': 'Gelesen',
  'frame.broken': 'Diese Seite ließ sich nicht anzeigen',
  'frame.partMissing':
    'Ein Teil der Seite war nicht zu bekommen: Der Server wurde aktualisiert oder ist nicht erreichbar. Was du geschrieben hast, bleibt.',
  'frame.brokenText':
    'Es ist nichts verloren. Seite neu laden; passiert es wieder, helfen die Worte unten bei der Suche nach dem Grund.',
  'frame.asks': '{session} fragt: {title}',

  'palette.hint': 'Gehen, tun oder Gesagtes finden …',
  'palette.nothing': 'Nichts heißt so, und niemand hat es gesagt.',
  'palette.searching': 'Sucht …',
  'palette.searchFailed': 'Gesagtes lässt sich gerade nicht durchsuchen.',
  'palette.found': 'Gefunden',
  'palette.changes': 'Änderungen zeigen',
  'palette.rename': 'Sitzung umbenennen',
  'palette.go': 'gehe zu öffne Seite',
  'palette.insights': 'Einblicke',
  'palette.system': 'Erscheinungsbild des Systems verwenden',
  'palette.light': 'Helles Erscheinungsbild verwenden',
  'palette.dark': 'Dunkles Erscheinungsbild verwenden',
  'palette.en': 'English: Sprache wechseln',
  'palette.de': 'Deutsch: Sprache wechseln',

  'help.title': 'Tasten',

  'unlock.wish': 'Das Terminal {name} möchte {minutes} min lang für dich entscheiden.',
  'unlock.code': 'Der Code, den es zeigt',
  'unlock.allow': 'Freischalten',
  'unlock.deny': 'Ablehnen',
  'unlock.open': 'Das Terminal {name} entscheidet für dich, noch {left}.',
  'unlock.end': 'Sperren',

  'pair.title': 'Diesen Browser einlassen',
  'pair.again': 'Dieser Browser wird nicht mehr eingelassen',
  'pair.draftsSafe': 'Alles Geschriebene ist aufgehoben und nach dem Eintreten wieder da.',
  'pair.keyMissing':
    'Dieser Browser war schon gekoppelt und muss es noch einmal werden: Sein Cookie allein öffnet nichts mehr, und der Schlüssel dazu ist nicht hier.',
  'pair.failed':
    'Dieser Code ist unbekannt, schon benutzt oder älter als zehn Minuten. Bitte einen neuen anfordern.',
  'pair.tooMany': 'Zu viele falsche Codes. {seconds} Sekunden warten, dann erneut versuchen.',
  'pair.how':
    'Beim Start gibt Beckon im Terminal einen Link aus. Öffne ihn hier oder füge ihn unten ein. Ein Browser, der schon drin ist, macht einen in seinen Einstellungen. Jeder Link gilt einmal.',
  'pair.code': 'Link oder Code',
  'pair.enter': 'Eintreten',
  'pair.notACode':
    'Das ist weder ein Link noch ein Code. Füge die ganze Zeile ein, die Beckon ausgegeben hat, oder den Teil nach „pair=“.',
  'settings.language': 'Sprache',
  'notify.asks': 'Wartet auf dich',
  'notify.failed': 'Fehlgeschlagen',
  'notify.finished': 'Fertig',
  'notify.test': 'So sieht eine Benachrichtigung aus.',
} as const;
