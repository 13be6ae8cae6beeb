import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../protocol/errors.ts';
import { serverOperations } from '../protocol/server-operation.ts';
import { sendRefusal } from './errors.ts';
import { pageHeaders } from './headers.ts';

/** Serves the page: files under `webRoot`, and its index for every other path, which the page itself makes sense of. */
export function addPage(
  app: FastifyInstance,
  webRoot: string | undefined,
  placeOf: (request: FastifyRequest) => string,
): void {
  app.get<{ Params: { '*': string } }>('/*', { config: { open: true } }, async (request, reply) => {
    const name = request.params['*'];
    const place = placeOf(request);
    if (webRoot === undefined) return name === '' ? sendPage(reply, plainPage(place)) : notFound(reply);
    if (path.extname(name) === '') return sendIndex(reply, webRoot, place);
    return sendFile(request, reply, webRoot);
  });
}

/** Always whole: packagers give files the same time in every version, so time and size would not tell two of them apart. */
async function sendIndex(reply: FastifyReply, root: string, place: string): Promise<FastifyReply> {
  const index = await readFile(path.join(root, 'index.html'), 'utf8').catch(() => undefined);
  return index === undefined ? notFound(reply) : sendPage(reply, placed(index, place));
}

/** The page as it was built names its files relative to itself, and is shown at any depth below its place. */
function placed(index: string, place: string): string {
  const page = index.replaceAll('="./', `="${place}/`);
  return place === '' ? page : page.replace('<head>', `<head><meta name="beckon-path" content="${place}">`);
}

const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .headers({ ...pageHeaders, 'cache-control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(page);

async function sendFile(request: FastifyRequest, reply: FastifyReply, root: string): Promise<FastifyReply> {
  // Only now: a program that uses the API never needs it.
  const { default: send } = await import('@fastify/send');
  const [target = ''] = request.url.split('?', 1);
  const file = await send(request.raw, target, {
    root,
    dotfiles: 'ignore',
    index: false,
    cacheControl: false,
  });
  if (file.type !== 'file') return notFound(reply);
  // The bundler puts a hash of the content into these names, so what they name never changes.
  const isHashed = target.startsWith('/assets/');
  return reply
    .code(file.statusCode)
    .headers({
      ...file.headers,
      ...pageHeaders,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    .send(file.stream);
}

const notFound = (reply: FastifyReply): FastifyReply => sendRefusal(reply, refuse('route_not_found').refusal);

const plainPage = (place: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Beckon</title></head>
<body>
<h1>Beckon is running</h1>
<p>This server was started without its web page. Use it from a terminal:</p>
<pre>
beckon new "Fix the failing test"   start a session
beckon ls                           list the sessions
beckon pending                      see what waits for you
beckon approve ID                   allow what an agent asks for
beckon watch ID                     follow a session
</pre>
<p>Programs use the <a href="${place}${serverOperations.getOpenApi.path}">HTTP interface</a> with the token in the data directory.</p>
</body>
</html>
`;
