import encodeQR from 'qr';

/** A text as a square that a phone's camera reads; dark on light in every theme, as cameras want it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 2 });
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="size-40 shrink-0 rounded-ui bg-[#ffffff] text-[#000000]"
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
