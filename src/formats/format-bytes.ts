/** A size for people: `512 bytes`, `32 MiB`, `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 4);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${['KiB', 'MiB', 'GiB', 'TiB'][power - 1]}`;
}
