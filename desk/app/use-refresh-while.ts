import { useEffect } from "preact/hooks";

const againMs = 1500;

/** Asks again after a while, as long as the answer says that it is not complete. */
export function useRefreshWhile(pending: boolean, value: unknown, refresh: () => void): void {
  useEffect(() => {
    if (!pending) return undefined;
    const timer = setTimeout(refresh, againMs);
    return () => clearTimeout(timer);
  }, [pending, value, refresh]);
}
