/** The server's own log, for the person who operates it. Secrets and conversation text never go here. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
