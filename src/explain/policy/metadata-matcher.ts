import type { MetadataMatcher } from "#gen/envoy/type/matcher/v3/metadata_pb.js";
import { metadataFactIn } from "../metadata-fact.ts";
import type { JudgedRequest } from "./judged-request.ts";
import type { Judgement } from "./judgement.ts";

/** A condition on the metadata that filters before this one wrote, such as the claims of a token. */
export function metadataJudgement(matcher: MetadataMatcher, { metadata }: Pick<JudgedRequest, "metadata">): Judgement {
  return metadataFactIn(matcher, metadata);
}
