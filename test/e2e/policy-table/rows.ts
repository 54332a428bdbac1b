import type { Area } from "./row.ts";
import { authorization } from "./rows/authorization.ts";
import { envoyFilter } from "./rows/envoy-filter.ts";
import { jwt } from "./rows/jwt.ts";
import { legacyPolicies } from "./rows/legacy.ts";
import { requestForms } from "./rows/request-forms.ts";
import { telemetry } from "./rows/telemetry.ts";
import { tls } from "./rows/tls.ts";

/** All rows of the table. */
export const areas: readonly Area[] = [authorization, jwt, tls, requestForms, envoyFilter, telemetry, legacyPolicies];
