import { isDebugType } from "../../admin/debug-xds/debug-types.ts";
import { assert } from "../../lib/assert.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { OutOfBandHandler, OutOfBandRequest } from "../../xds/xds-server.ts";

type Answers = Pick<OutOfBandHandler<Proxy>, "answer">;

/**
 * The debug requests that clients send to the discovery server. The answers show that server, so they are attached
 * after it is built and before it accepts streams.
 */
export class DebugRequests implements OutOfBandHandler<Proxy> {
  #answers: Answers | undefined;

  attachAnswers(answers: Answers): void {
    assert(this.#answers === undefined, "debug answers are attached once");
    this.#answers = answers;
  }

  handles(typeUrl: string): boolean {
    return isDebugType(typeUrl);
  }

  answer(request: OutOfBandRequest<Proxy>): void {
    assert(this.#answers !== undefined, "debug answers are attached before the first debug request");
    this.#answers.answer(request);
  }
}
