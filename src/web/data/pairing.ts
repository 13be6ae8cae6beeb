/** The one-time code in an address or in what a person pasted: a whole link, its end, or the code alone. */
export function pairingCodeIn(text: string): string | undefined {
  const given = text.trim();
  const [, inLink] = /#(?:.*&)?pair=([^&\s]+)/.exec(given) ?? [];
  if (inLink !== undefined) return decoded(inLink);
  return /^[\w-]{4,200}$/.test(given) ? given : undefined;
}

/** Takes the code out of the address, so that it is neither bookmarked nor shown, and returns it. */
export function takePairingCode(): string | undefined {
  const code = location.hash.includes('pair=') ? pairingCodeIn(location.hash) : undefined;
  if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
