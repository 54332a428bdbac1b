/** The own value of a record under a user-chosen key. Ignores inherited names such as `toString`. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
