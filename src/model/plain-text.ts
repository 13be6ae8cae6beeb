const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal control is what is looked for
  /[\u001b\u009b](?:\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)?|[[()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[0-9A-PR-TZcf-nq-uy=><~])/g;
const harmful = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text of an agent or a tool without terminal control, or marks that change the order in which it is shown. */
export const plainText = (text: string): string =>
  text.replace(escapeSequence, '').replace(/\r\n?/g, '\n').replace(harmful, '');
