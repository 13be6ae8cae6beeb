export const push = {
  'push.title': 'With Beckon closed',
  'push.text':
    "This device can be told also when no page of Beckon is open. What it is told is encrypted for this browser: its maker's push service sees that something comes, and not what.",
  'push.insecure':
    'Browsers allow this only for pages from this machine or over HTTPS. Put Beckon behind HTTPS: with “tailscale serve”, with Caddy, or with a certificate of mkcert that this device trusts. Then open it at that address, and pair it there.',
  'push.install-first':
    'On iPhone and iPad, add Beckon to the Home Screen first (Share, then “Add to Home Screen”). Open it from there, pair it once more, and switch this on in its settings.',
  'push.unsupported': 'This browser cannot be told while its page is closed.',
  'push.denied':
    "The browser keeps Beckon from showing notifications. Allow them in the browser's settings for this site, then load this page anew.",
  'push.switchOn': 'Switch on for this device',
  'push.switchOff': 'Switch off',
  'push.shown': 'What is shown',
  'push.shown.title': 'The session alone',
  'push.shown.title.hint': 'Whoever looks at the device sees which session wants you, and not what for.',
  'push.shown.full': 'Also what is asked',
  'push.shown.full.hint':
    'Short, plain commands can then be allowed or denied on the notification itself, where the device has buttons for it: also on a locked screen, if the device shows them there.',
  'push.test': 'Send a test',
  'push.sent': 'The push service has taken it. It should be here in a few seconds.',
  'push.unreached': 'The push service of this browser was not reached.',
  'push.refused':
    'The push service of this browser answered {status}. Unless it works soon, switch this off and on again.',
} as const;
