/** Bytes for a log, with each secret in them blacked out. One that two chunks share is not found. */
export function withoutSecrets(chunk: Buffer, secrets: readonly string[] = []): Buffer {
  return secrets
    .filter((secret) => secret !== '' && chunk.includes(secret))
    .reduce(
      (bytes, secret) => Buffer.from(bytes.toString('latin1').replaceAll(secret, '***'), 'latin1'),
      chunk,
    );
}
