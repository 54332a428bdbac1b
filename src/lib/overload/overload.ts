import { type Load, nextLoad, noLoad } from "./load.ts";
import { type LoadLevel, type Pressure, type ResourceName, resources } from "./pressure.ts";
import { type Pace, paceOf, type Work, works } from "./work.ts";

/** A change of the level, for the log. */
export interface LevelChange {
  readonly level: LoadLevel;
  readonly before: LoadLevel;
  /** Why the server is loaded; undefined when it no longer is. */
  readonly reason: string | undefined;
  readonly advice: string | undefined;
}

/** The part of the overload that work asks before it runs. */
export type WorkGate = Pick<Overload, "paceOf" | "reason" | "shed">;

/** Decides from measurements which work of a process runs, waits or is refused. It reads no clock and no memory. */
export class Overload {
  readonly #onChange: (change: LevelChange) => void;
  readonly #shed = new Map<Work, number>(works.map((work) => [work, 0]));
  #load: Load = noLoad;
  #pressure: Pressure | undefined;

  constructor(onChange: (change: LevelChange) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get level(): LoadLevel {
    return this.#load.level;
  }

  /** The resource that caused the level. */
  get resource(): ResourceName | undefined {
    return this.#load.resource;
  }

  /** Whether memory is so scarce that new objects and new streams must wait. */
  get isMemoryScarce(): boolean {
    const { level, resource } = this.#load;
    return (resource === "heap" || resource === "memory") && (level === "high" || level === "critical");
  }

  /** The last measurement. */
  get pressure(): Pressure | undefined {
    return this.#pressure;
  }

  /** Why the server is loaded, for people; undefined while it is not. */
  get reason(): string | undefined {
    const { resource } = this.#load;
    return resource && this.#pressure && resources[resource].text(this.#pressure);
  }

  /** Work that was refused or delayed so far. */
  get shedCounts(): ReadonlyMap<Work, number> {
    return this.#shed;
  }

  paceOf(work: Work): Pace {
    return paceOf(work, this.#load.level);
  }

  /** Counts work that was refused or delayed. */
  shed(work: Work): void {
    this.#shed.set(work, (this.#shed.get(work) ?? 0) + 1);
  }

  measured(pressure: Pressure): void {
    const before = this.#load.level;
    this.#pressure = pressure;
    this.#load = nextLoad(this.#load, pressure);
    const { level, resource } = this.#load;
    if (level === before) return;
    this.#onChange({ level, before, reason: this.reason, advice: resource && resources[resource].advice });
  }
}
