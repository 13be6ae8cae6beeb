/** Being asked less: times of trust, suggestions, insights. */
export const less = {
  'trust.title': 'Allow everything for a while?',
  'trust.lead':
    'What this session asks for is allowed without asking you, until the time is up or you end it.',
  'trust.minutes': 'For how long',
  'trust.minutesCount_one': '{count} minute',
  'trust.minutesCount_other': '{count} minutes',
  'trust.still': 'You are still asked for:',
  'trust.still.person': 'questions, plans, forms and whatever insists on a person',
  'trust.still.files': 'secrets, files that make programs run, and all outside {directory}',
  'trust.still.commands':
    'commands with sudo or ssh, that push or publish, delete outside of the project, or run what they fetch',
  'trust.still.unknown': 'addresses of this network, and what cannot be told what it does',
  'trust.noWall':
    'Programs that it starts can do whatever you can, also what is listed here. Every call is on record and listed when the time is up.',
  'trust.open_one': '{count} ask is open; it stays for you to answer.',
  'trust.open_other': '{count} asks are open; they stay for you to answer.',
  'trust.give_one': 'Allow everything for {count} minute',
  'trust.give_other': 'Allow everything for {count} minutes',
  'trust.left': 'Everything is allowed for {left}',
  'trust.leftShort': '{left} of trust left',
  'trust.uses_one': '{count} call so far',
  'trust.uses_other': '{count} calls so far',
  'trust.end': 'End now',
  'trust.endOf': 'End now: the time of trust of {title}',
  'trust.show': 'Show them',
  'trust.hide': 'Hide them',
} as const;
