import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refuse } from '../protocol/errors.ts';
import { serverOperations } from '../protocol/server-operation.ts';
import { sendRefusal } from './errors.ts';
import { pageHeaders } from './headers.ts';

/** Serves the page: files under `webRoot`, and its index for every other path, which the page itself makes sense of. */
export function addPage(app: FastifyInstance, webRoot: string | undefined): void {
  app.get<{ Params: { '*': string } }>('/*', { config: { open: true } }, async (request, reply) => {
    const name = request.params['*'];
    if (webRoot === undefined) return name === '' ? send(reply, '.html', plainPage) : notFound(reply);
    const file = insideOf(webRoot, name);
    const content = file === undefined ? undefined : await contentOf(file);
    if (file !== undefined && content !== undefined) {
      return send(
        reply,
        path.extname(file),
        content,
        isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    }
    const index = path.extname(name) === '' ? await contentOf(path.join(webRoot, 'index.html')) : undefined;
    return index === undefined ? notFound(reply) : send(reply, '.html', index);
  });
}

/** The file that a path names, if it lies in the folder; dot files are nobody's business. */
function insideOf(root: string, name: string): string | undefined {
  const parts = name.split(/[/\\]/);
  if (name === '' || name.includes('\0') || parts.some((part) => part.startsWith('.'))) return undefined;
  return path.join(root, ...parts);
}

async function contentOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch {
    return undefined;
  }
}

/** The bundler puts a hash of the content into these names, so what they name never changes. */
const isHashed = (name: string): boolean => name.startsWith('assets/');

function send(
  reply: FastifyReply,
  extension: string,
  content: Buffer | string,
  cache = 'no-cache',
): FastifyReply {
  return reply
    .headers({ ...pageHeaders, 'cache-control': cache })
    .type(types[extension.toLowerCase()] ?? 'application/octet-stream')
    .send(content);
}

const notFound = (reply: FastifyReply): FastifyReply => sendRefusal(reply, refuse('route_not_found').refusal);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.mp3': 'audio/mpeg',
};

const plainPage = `<!doctype html>
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
<p>Programs use the <a href="${serverOperations.getOpenApi.path}">HTTP interface</a> with the token in the data directory.</p>
</body>
</html>
`;
