/** What a record holds under a key that a user chose: `toString` and its like are not in it unless they were put there. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
