import type { Logger } from "../../lib/logger.ts";
import { rejectedIn } from "../../pilot/xds/status/rejections.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import { type OriginOf, idWithPlace } from "./object-place.ts";

export interface RejectionLogOptions {
  readonly logger: Logger;
  readonly originOf: OriginOf;
}

/** More suspects than this are as good as none. */
const mostNamed = 10;

/**
 * Logs rejections of proxies: the resource, the objects behind it, and their places. If many proxies reject the same
 * resource, each push logs it once, and the rest at debug level. `/debug/nacks` has all of them.
 */
export class RejectionLog {
  readonly #options: RejectionLogOptions;
  readonly #logged = new Set<string>();

  constructor(options: RejectionLogOptions) {
    this.#options = options;
  }

  rejected(type: string, node: string, reason: string, subscription: Subscription | undefined): void {
    const { logger, originOf } = this.#options;
    const rejected = (subscription === undefined ? [] : rejectedIn(subscription)).map(
      ({ resources, objects, message }) => ({
        message,
        resources: resources.slice(0, mostNamed),
        objects: objects.slice(0, mostNamed).map((id) => idWithPlace(id, originOf)),
        ...(resources.length > mostNamed && { more: resources.length - mostNamed }),
      }),
    );
    const fields = { type, node, reason, rejected };
    const key = `${type} ${reason}`;
    if (this.#logged.has(key)) return logger.debug(fields, "proxy rejected a response");
    this.#logged.add(key);
    logger.warn(fields, "proxy rejected a response");
  }

  /** There is something new that may be rejected. */
  pushStarted(): void {
    this.#logged.clear();
  }
}
