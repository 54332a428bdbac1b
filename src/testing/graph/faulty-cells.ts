import { Cell } from "../../collection/cell.ts";

/** Where the machinery of a graph throws: at the nth change of a collection, once or from then on. */
export interface CellFault {
  readonly at: number;
  readonly lasting: boolean;
}

const changing = ["write", "remove", "markSynced"] as const;

/** Runs `work` while collections throw as the fault says; returns whether one of them did. Mends them in any case. */
export function withFaultyCells({ at, lasting }: CellFault, work: () => void): boolean {
  const sound = changing.map((name) => [name, Object.getOwnPropertyDescriptor(Cell.prototype, name)] as const);
  let calls = 0;
  let thrown = false;
  for (const name of changing) {
    const original = Cell.prototype[name] as (...given: unknown[]) => unknown;
    Reflect.set(Cell.prototype, name, function faulty(this: Cell<unknown>, ...given: unknown[]) {
      const call = calls++;
      if (call === at || (lasting && call > at)) {
        thrown = true;
        throw new Error(`fault ${at}`);
      }
      return Reflect.apply(original, this, given);
    });
  }
  try {
    work();
  } finally {
    for (const [name, descriptor] of sound) if (descriptor) Object.defineProperty(Cell.prototype, name, descriptor);
  }
  return thrown;
}
