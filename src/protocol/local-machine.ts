/** What the machine is called that the server itself runs on. */
export const localMachine = 'local';
