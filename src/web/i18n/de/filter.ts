export const filter = {
  'filter.status': 'Zustand',
  'filter.allStatuses': 'Jeder Zustand',
  'filter.project': 'Projekt',
  'filter.allProjects': 'Alle Projekte',
  'filter.sort': 'Reihenfolge',
  'filter.sort.need': 'Übliche Reihenfolge',
  'filter.sort.activity': 'Zuletzt aktiv',
  'filter.sort.created': 'Neueste zuerst',
  'filter.sort.title': 'Nach Titel',
  'filter.machine': 'Rechner',
  'filter.allMachines': 'Alle Rechner',
} as const;
