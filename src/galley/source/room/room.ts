/** The heap for the objects of all sources. */
export interface RoomLimits {
  /** The most heap for objects that may be left out. */
  readonly objectBytes: number;
  /** The most heap for all objects: policies and growing objects may use the reserve between both. */
  readonly totalBytes: number;
}

/** The heap of a server before it has objects. */
const emptyServerBytes = 60e6;
/** Below the share where new proxies are refused (`src/lib/overload/pressure.ts`), so that there is room for proxies. */
const objectShare = 0.75;
const totalShare = 0.9;

/** The limits for a heap of this size. They hold for the life of the process. */
export function roomLimitsOf(heapBytes: number): RoomLimits {
  return {
    objectBytes: Math.max(0, heapBytes * objectShare - emptyServerBytes),
    totalBytes: Math.max(0, heapBytes * totalShare - emptyServerBytes),
  };
}

/** The heap for objects, shared by all sources of a process. It counts estimates (`object-bytes.ts`). */
export class Room {
  readonly limits: RoomLimits;
  readonly #isScarce: () => boolean;
  #essentialBytes = 0;
  #otherBytes = 0;

  /** `isScarce`: the measured memory is nearly full, because the estimates are too low or proxies use the rest. */
  constructor(limits: RoomLimits, isScarce: () => boolean = () => false) {
    this.limits = limits;
    this.#isScarce = isScarce;
  }

  /** For new objects that may be left out. */
  get freeBytes(): number {
    if (this.#isScarce()) return 0;
    return Math.max(0, Math.min(this.limits.objectBytes - this.#otherBytes, this.freeTotalBytes));
  }

  /** For policies, and for changes of known objects. */
  get freeTotalBytes(): number {
    return Math.max(0, this.limits.totalBytes - this.#essentialBytes - this.#otherBytes);
  }

  /** Negative for memory that is given back. */
  take(bytes: number, isEssential: boolean): void {
    if (isEssential) this.#essentialBytes += bytes;
    else this.#otherBytes += bytes;
  }
}
