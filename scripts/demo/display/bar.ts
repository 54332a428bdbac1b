const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** A bar of up to so many columns, to the eighth of one. */
export function bar(share: number, columns: number): string {
  const length = Math.round(share * columns * 8);
  return "█".repeat(Math.floor(length / 8)) + (eighths[length % 8] ?? "");
}
