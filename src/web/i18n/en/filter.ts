export const filter = {
  'filter.status': 'Status',
  'filter.allStatuses': 'Any status',
  'filter.project': 'Project',
  'filter.allProjects': 'All projects',
  'filter.sort': 'Order',
  'filter.sort.need': 'Usual order',
  'filter.sort.activity': 'Last activity',
  'filter.sort.created': 'Newest first',
  'filter.sort.title': 'By title',
  'filter.machine': 'Machine',
  'filter.allMachines': 'All machines',
} as const;
