/** Numbers and words as people read them. */

export function count(value: number): string {
  return value.toLocaleString("en").replaceAll(",", "\u202f");
}

/** `1 proxy`, `2 proxies`. */
export function counted(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `812 B`, `12.4 kB`, `3.1 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`;
  return `${(value / 1_000_000_000).toFixed(1)} GB`;
}

/** `0.4 ms`, `18 ms`, `1.2 s`, `3 min 4 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** The words with a capital letter and a full stop. A hostname or an address at the beginning stays as it is. */
export function sentence(words: string): string {
  const isName = /^\S*[\w][.:/]\w/u.test(words);
  const first = isName ? words.charAt(0) : words.charAt(0).toUpperCase();
  return `${first}${words.slice(1)}${/[.!?]$/u.test(words) ? "" : "."}`;
}
