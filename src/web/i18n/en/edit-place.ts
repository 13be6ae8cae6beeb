/** Where a change that is asked for stands in its file. */
export const editPlace = {
  'place.around': 'The lines around it are those of the file as it is now.',
  'place.more': 'More of the file',
  'place.everywhere_one': 'In the file as it is now, that is {count} place, in line {line}.',
  'place.everywhere_other': 'In the file as it is now, these are {count} places, from line {line} on.',
  'place.several': 'The old text stands in {count} places of the file; which of them is meant is not said.',
  'place.absent': 'The file as it is now does not hold the old text: it may have been changed since.',
  'place.missing': 'There is no such file now.',
  'place.overwrites': 'A file is there already; all of it is replaced.',
  'place.same': 'A file with this very text is there already.',
  'place.asChange': 'What differs from the file that is there',
  'place.earlier': 'What changed in it earlier in this session',
  'place.notEarlier': 'No earlier change of it is known in this session.',
  'place.earlierIs': 'Changed earlier in this session:',
} as const;
