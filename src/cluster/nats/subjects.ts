/** One runner of one room. */
export interface Place {
  readonly room: string;
  readonly runner: string;
}

/** Names that go into subjects: no dots, stars or spaces. */
export const placeName = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Where what is said goes: into streams that keep it for the other side, or to who listens at this moment. */
export const subjectsOf = ({ room, runner }: Place) => ({
  orders: `beckon.${room}.${runner}.orders`,
  facts: `beckon.${room}.${runner}.facts`,
  toRunner: `beckon.${room}.${runner}.to-runner`,
  toRoom: `beckon.${room}.${runner}.to-room`,
});

export const streamsOf = ({ room, runner }: Place) => ({
  orders: `beckon_${room}_${runner}_orders`,
  facts: `beckon_${room}_${runner}_facts`,
});

/** Each stream has one reader: the other side. */
export const reader = 'reader';

export const inboxOf = (room: string, who: string): string => `_INBOX_${room}_${who}`;

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * What a runner may do on the carrier: say its own facts, read its own orders. It makes neither streams nor readers: who may make a
 * stream may say which subjects go into it, and could have those of others.
 */
export function runnerPermissions(place: Place): Permissions {
  const { facts, toRoom, toRunner } = subjectsOf(place);
  const { orders } = streamsOf(place);
  return {
    publish: [
      facts,
      toRoom,
      `$JS.API.CONSUMER.INFO.${orders}.${reader}`,
      `$JS.API.CONSUMER.MSG.NEXT.${orders}.${reader}`,
      `$JS.ACK.${orders}.${reader}.>`,
    ],
    subscribe: [toRunner, `${inboxOf(place.room, place.runner)}.>`],
  };
}

export function roomPermissions(room: string): Permissions {
  return {
    publish: [`beckon.${room}.*.orders`, `beckon.${room}.*.to-runner`, '$JS.API.>', '$JS.ACK.>'],
    subscribe: [`beckon.${room}.*.to-room`, `${inboxOf(room, 'room')}.>`],
  };
}
