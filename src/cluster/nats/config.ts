import { createUser } from '@nats-io/nkeys';
import { type Permissions, roomPermissions, runnerPermissions } from './subjects.ts';

/** A key by which one user of NATS is known. The server has the public half. */
export function makeUser(): { readonly publicKey: string; readonly seed: string } {
  const pair = createUser();
  return { publicKey: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
}

/** The configuration of nats-server: one account, one user for the room and one for each runner, each with what it may do. */
export function natsConfig(options: {
  readonly listen: string;
  readonly store: string;
  readonly room: string;
  readonly roomUser: string;
  readonly runners: readonly { readonly name: string; readonly user: string }[];
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
}): string {
  const { room, tls } = options;
  const users = [
    userLines('the room', options.roomUser, roomPermissions(room)),
    ...options.runners.map(({ name, user }) =>
      userLines(name, user, runnerPermissions({ room, runner: name })),
    ),
  ];
  const ca = tls?.ca === undefined ? '' : `\n  ca_file: ${quoted(tls.ca)}`;
  const tlsBlock =
    tls === undefined
      ? ''
      : `tls {\n  cert_file: ${quoted(tls.cert)}\n  key_file: ${quoted(tls.key)}${ca}\n}\n\n`;
  return `# Written by "beckon cluster"; the next "beckon cluster add" writes it anew.
listen: ${quoted(options.listen)}

${tlsBlock}jetstream {
  store_dir: ${quoted(options.store)}
}

accounts {
  BECKON {
    jetstream: enabled
    users: [
${users.join('\n')}
    ]
  }
}
`;
}

const userLines = (name: string, key: string, { publish, subscribe }: Permissions): string =>
  `      # ${name}
      { nkey: ${key}
        permissions: {
          publish: { allow: [${publish.map(quoted).join(', ')}] }
          subscribe: { allow: [${subscribe.map(quoted).join(', ')}] }
        }
      }`;

const quoted = (text: string): string => JSON.stringify(text);
