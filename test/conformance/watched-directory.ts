import type { Issue } from "../../src/config/issue.ts";
import { kinds } from "../../src/config/kinds.ts";
import { createFileSource } from "../../src/galley/source/file/file-source.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { settle, TempTree } from "../../src/testing/temp-tree.ts";
import { FileWorld } from "./file-world.ts";

/** A source that runs all the time, in a changing world. */
export class WatchedDirectory implements AsyncDisposable {
  readonly world: FileWorld;
  readonly heard = new SourceRecorder();
  readonly directory: string;
  readonly #tree: TempTree;
  readonly #clock = new FakeClock();
  readonly #source;

  static async start(): Promise<WatchedDirectory> {
    const watched = new WatchedDirectory(await TempTree.create());
    await watched.#source.start(watched.heard.handler);
    return watched;
  }

  private constructor(tree: TempTree) {
    this.#tree = tree;
    this.world = new FileWorld(tree.directory);
    this.directory = tree.path("home/mesh");
    this.#source = createFileSource({ followLinksOutside: true, directory: this.directory, kinds, clock: this.#clock });
  }

  /** True if the source reported the directory as unreadable. */
  get isMissing(): boolean {
    return this.heard.issues.has(this.#source.name);
  }

  /** The issues by file. */
  get fileIssues(): ReadonlyMap<string, readonly Issue[]> {
    return new Map([...this.heard.issues].filter(([part]) => part !== this.#source.name));
  }

  /** Makes the source look, without waiting for it. */
  look(): void {
    void this.#source.reload();
  }

  /** Resolves when the source has reported every change so far. */
  async settled(): Promise<void> {
    await this.#tree.noticed();
    await settle(this.#source, this.#clock);
  }

  /** The events of a source that starts now. Undefined if it fails to start. */
  async freshStart(): Promise<SourceRecorder | undefined> {
    const heard = new SourceRecorder();
    const source = createFileSource({
      followLinksOutside: true,
      directory: this.directory,
      kinds,
      clock: new FakeClock(),
    });
    try {
      await source.start(heard.handler);
    } catch {
      return undefined;
    } finally {
      await source.stop();
    }
    return heard;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source.stop();
    await this.#tree.close();
  }
}
