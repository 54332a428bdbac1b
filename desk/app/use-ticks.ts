import { useEffect } from "preact/hooks";

/** Calls the function at this interval while the page is visible. */
export function useTicks(everyMs: number, tick: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) tick();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, tick]);
}
