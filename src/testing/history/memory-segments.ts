import type { KeptSegment } from "../../history/retention.ts";
import { beginIn, type SegmentStore } from "../../app/history/segment-store.ts";

/** A store of segments in memory. A test can make it fail, or cut its texts. */
export class MemorySegments implements SegmentStore {
  readonly texts = new Map<string, string>();
  /** Called before each write. A throw refuses it. */
  onAppend: (name: string, text: string) => void = () => undefined;

  /** Called before each listing. A throw refuses it. */
  onList: () => void = () => undefined;

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async list(): Promise<readonly KeptSegment[]> {
    this.onList();
    return await Promise.resolve(
      Array.from(this.texts, ([name, text]) => {
        const begin = beginIn(name);
        if (begin === undefined) throw new Error(`${name} is no name of a segment`);
        return { name, bytes: Buffer.byteLength(text), begin };
      }),
    );
  }

  read(name: string): Promise<string> {
    return Promise.resolve(this.texts.get(name) ?? "");
  }

  append(name: string, text: string): Promise<void> {
    try {
      this.onAppend(name, text);
    } catch (thrown) {
      return Promise.reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    this.texts.set(name, (this.texts.get(name) ?? "") + text);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.texts.delete(name);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  get bytes(): number {
    return this.texts.values().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  }
}
