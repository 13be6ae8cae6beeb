/** Loaded before a program (`node --import`): its clock, and that of what it starts, is off by so many milliseconds. */
const shift = Number(process.env.CLOCK_SHIFT_MS);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: readonly [] | ConstructorParameters<typeof Date>) {
    if (given.length === 0) super(ShiftedDate.now());
    else super(...(given as ConstructorParameters<typeof Date>));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
