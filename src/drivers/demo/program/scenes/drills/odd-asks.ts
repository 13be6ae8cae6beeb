import { drill, numberIn } from '../scene.ts';

/** Asks, thinks better of it and takes the ask back. */
export const withdraw = drill('!withdraw', async (stage, args) => {
  const outcome = await stage.tool('Bash', { command: 'touch withdrawn.txt' }, async (requestId) => {
    await stage.pause(numberIn(args, 0, 0));
    stage.session.requests.withdraw(requestId);
  });
  await stage.say(
    outcome.isError ? `went on without it: ${outcome.text}` : 'someone was faster and allowed it',
    0,
  );
});

/** Sends the same ask twice, under one id. */
export const doubleAsk = drill('!double-ask', async (stage) => {
  const outcome = await stage.tool('Bash', { command: 'echo once >> double.txt' }, (requestId, request) =>
    stage.session.wire.send({ type: 'control_request', request_id: requestId, request }),
  );
  await stage.say(outcome.isError ? `not run: ${outcome.text}` : 'ran once', 0);
});
