export const control = {
  'control.title': 'Mission Control',
  'control.new': 'New session',
  'control.nothingLive': 'Nothing is running.',
  'control.nothingSaid': 'Nothing said yet.',
  'control.asleep_one': '{count} asleep',
  'control.asleep_other': '{count} asleep',

  'summary.needs-you_one': '{count} needs you',
  'summary.needs-you_other': '{count} need you',
  'summary.working_one': '{count} working',
  'summary.working_other': '{count} working',
  'summary.idle_one': '{count} idle',
  'summary.idle_other': '{count} idle',

  'first.title': 'A control room for coding agents',
  'first.what': 'Start one agent or fifty, watch them work, and talk to them from any browser.',
  'first.how':
    'When one needs you, to allow a command or to choose between two ways, it shows up here and waits.',
  'first.promise': 'Nothing you were asked or said is lost, and nothing is ever decided for you.',
  'first.demo': 'Look around first',
  'first.demoText':
    'A built-in agent shows you an approval and a question in a minute. No account, no network.',
  'first.tryDemo': 'Try the demo',
  'first.demoTitle': 'Demo tour',
  'first.claude': 'Put an agent to work',
  'first.claudeLooking': 'Looking for Claude Code…',
  'first.claudeFound': 'Claude Code was found on this machine.',
  'first.claudeFoundVersion': 'Claude Code {version} was found on this machine.',
  'first.claudeMissing': 'Claude Code was not found on this machine.',
  'first.startClaude': 'Start Claude Code',
} as const;
