export const editPlace = {
  'place.around': 'Die Zeilen ringsum sind die der Datei, wie sie jetzt ist.',
  'place.more': 'Mehr von der Datei',
  'place.everywhere_one': 'In der Datei, wie sie jetzt ist, ist das {count} Stelle, in Zeile {line}.',
  'place.everywhere_other': 'In der Datei, wie sie jetzt ist, sind das {count} Stellen, ab Zeile {line}.',
  'place.several': 'Der alte Text steht an {count} Stellen der Datei; welche gemeint ist, ist nicht gesagt.',
  'place.absent':
    'Die Datei, wie sie jetzt ist, enthält den alten Text nicht: vielleicht wurde sie inzwischen geändert.',
  'place.missing': 'Eine solche Datei gibt es jetzt nicht.',
  'place.overwrites': 'Da ist schon eine Datei; sie wird ganz ersetzt.',
  'place.same': 'Eine Datei mit genau diesem Text ist schon da.',
  'place.asChange': 'Was sich gegenüber der vorhandenen Datei ändert',
  'place.earlier': 'Was sich darin früher in dieser Sitzung geändert hat',
  'place.notEarlier': 'Von einer früheren Änderung in dieser Sitzung ist nichts bekannt.',
  'place.earlierIs': 'Früher in dieser Sitzung geändert:',
} as const;
