export interface SignalHandlers {
  /** SIGHUP, and SIGUSR1 as Galley has it. */
  readonly reload: () => void;
}

/**
 * Resolves with the first SIGTERM or SIGINT; a second one ends the process at once, as if nobody had listened.
 * While it waits, the process lives, even with every listener switched off. The handler of SIGUSR1 also keeps
 * Node from opening its inspector on that signal.
 */
export async function untilToldToStop({ reload }: SignalHandlers): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const alive = setInterval(() => undefined, 2 ** 30);
  process.on("SIGHUP", reload).on("SIGUSR1", reload);
  process.once("SIGTERM", resolve).once("SIGINT", resolve);
  const signal = await promise;
  process.off("SIGTERM", resolve).off("SIGINT", resolve);
  clearInterval(alive);
  return signal;
}
