import type { Urgency } from './news.logic.ts';

interface Note {
  readonly hertz: number;
  readonly at: number;
  readonly seconds: number;
}

/** What waits rises like a question, what failed falls, what is done is one soft note. */
const tunes: Readonly<Record<Urgency, readonly Note[]>> = {
  asks: [
    { hertz: 659, at: 0, seconds: 0.16 },
    { hertz: 880, at: 0.13, seconds: 0.28 },
  ],
  failed: [
    { hertz: 392, at: 0, seconds: 0.18 },
    { hertz: 294, at: 0.15, seconds: 0.32 },
  ],
  finished: [{ hertz: 587, at: 0, seconds: 0.3 }],
};

const loudness = 0.12;
let context: AudioContext | undefined;

/** Plays a short sound; resolves with whether the browser let it. Before the first press on a page, browsers do not. */
export async function chime(urgency: Urgency): Promise<boolean> {
  if (globalThis.AudioContext === undefined) return false;
  context ??= new AudioContext();
  const audio = context;
  // Without a press on the page this waits for one, and a sound that comes a minute late is a riddle.
  if (audio.state !== 'running') await Promise.race([audio.resume(), after(200)]).catch(() => {});
  if (audio.state !== 'running') return false;
  for (const { hertz, at, seconds } of tunes[urgency]) {
    const begin = audio.currentTime + at;
    const tone = new OscillatorNode(audio, { type: 'sine', frequency: hertz });
    const gain = new GainNode(audio, { gain: 0 });
    gain.gain.linearRampToValueAtTime(loudness, begin + 0.015);
    gain.gain.exponentialRampToValueAtTime(0.0001, begin + seconds);
    tone.connect(gain).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + seconds);
  }
  return true;
}

const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
