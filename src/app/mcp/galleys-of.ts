import type { GalleyElsewhere } from "../../admin/ctrlz/config.ts";
import type { RemoteGalleys } from "./remote-galleys.ts";

/** What pages show of the Galleys that we read from. */
export function galleysOf({ sources }: RemoteGalleys): readonly GalleyElsewhere[] {
  return sources.map(({ name, session }) => ({
    name,
    attached: session?.sink.attached ?? false,
    collections: session?.sink.status ?? [],
    requests: session?.sink.journal ?? [],
  }));
}
