/** Amounts for people. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `3.2 GiB`. */
export function byteText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 2 ** (10 * unit);
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`;
}

/** `1.93`, `12`. */
export function coreText(cores: number): string {
  return cores >= 10 ? String(Math.round(cores)) : String(Number(cores.toFixed(2)));
}
