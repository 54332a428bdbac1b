import type { Area } from "./row.ts";
import { authorization } from "./rows/authorization.ts";
import { envoyFilter } from "./rows/envoy-filter.ts";
import { jwt } from "./rows/jwt.ts";
import { legacyAccess } from "./rows/legacy-access.ts";
import { legacyPolicies } from "./rows/legacy.ts";
import { requestForms } from "./rows/request-forms.ts";
import { targets } from "./rows/targets.ts";
import { telemetry } from "./rows/telemetry.ts";
import { tls } from "./rows/tls.ts";
import { trustDomains } from "./rows/trust-domains.ts";

/** All rows of the table. */
export const areas: readonly Area[] = [
  authorization,
  targets,
  jwt,
  tls,
  trustDomains,
  requestForms,
  envoyFilter,
  telemetry,
  legacyPolicies,
  legacyAccess,
];
