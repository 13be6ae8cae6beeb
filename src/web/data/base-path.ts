/** Where on its origin the page is served: empty, or like `/beckon` inside of another program. */
export const basePath: string =
  document.querySelector<HTMLMetaElement>('meta[name="beckon-path"]')?.content ?? '';

export const pageUrl = (path: string): string => `${location.origin}${basePath}${path}`;
