import { type Area, type Group, group, policy, type Row, row, type TableMesh } from "../row.ts";

const deny = "AuthorizationPolicy deny rule 0";

function meshWith(normalization: string): TableMesh {
  return { name: normalization.toLowerCase(), config: { pathNormalization: { normalization } } };
}

/** A mesh that other groups share. */
export const withoutNormalisation = meshWith("NONE");

/** Spellings of a denied path, and for each normalisation whether the rule recognises them. */
const spellings: readonly (readonly [path: string, none: boolean, base: boolean, merged: boolean, decoded: boolean])[] =
  [
    ["/admin", true, true, true, true],
    ["/admin?x=/public", true, true, true, true],
    ["/%61dmin", false, true, true, true],
    ["/public/../admin", false, true, true, true],
    ["/public/%2e%2E/admin", false, true, true, true],
    ["/./admin", false, true, true, true],
    ["/public\\..\\admin", false, true, true, true],
    ["//admin", false, false, true, true],
    ["/x/..//admin", false, false, true, true],
    ["/%2Fadmin", false, false, false, true],
    ["/public/..%2fadmin", false, false, false, true],
    ["/public%5C..%5cadmin", false, false, false, true],
    ["/Admin", false, false, false, false],
    ["/admin/", false, false, false, false],
  ];

function normalised(title: string, mesh: TableMesh | undefined, column: 1 | 2 | 3 | 4): Group {
  const rule = { action: "DENY", rules: [{ to: [{ operation: { paths: ["/admin"] } }] }] };
  const rows = spellings.map((spelling): Row => {
    const [path] = spelling;
    const denied = spelling[column];
    return row(
      `${denied ? "recognises" : "does not recognise"} ${path}`,
      { path },
      denied ? 403 : 200,
      denied ? deny : [],
    );
  });
  // A zero byte has no normal form.
  const zero = row(
    "rejects a zero byte unless it takes paths as they are",
    { path: "/admin%00" },
    column === 1 ? 200 : 400,
  );
  return group(title, [policy("deny", rule)], [...rows, zero], mesh === undefined ? {} : { mesh });
}

/** Ways to write the same request. A rule must not be evaded by another spelling. */
export const requestForms: Area = {
  groups: [
    normalised("Paths without normalisation", withoutNormalisation, 1),
    normalised("Paths with the usual normalisation", undefined, 2),
    normalised("Paths with merged slashes", meshWith("MERGE_SLASHES"), 3),
    normalised("Paths with decoded and merged slashes", meshWith("DECODE_AND_MERGE_SLASHES"), 4),
    group(
      "DENY by header",
      [
        policy("deny", {
          action: "DENY",
          rules: [{ when: [{ key: "request.headers[x-role]", values: ["guest"] }] }],
        }),
      ],
      [
        row("matches a value", { headers: { "x-role": "guest" } }, 403, deny),
        row("matches another case of the name", { headers: { "X-ROLE": "guest" } }, 403, deny),
        row("does not match another case of the value", { headers: { "x-role": "Guest" } }, 200),
        row(
          "matches one of repeated headers",
          {
            headers: [
              ["x-role", "admin"],
              ["x-role", "guest"],
            ],
          },
          403,
          deny,
        ),
        row("does not look into a list", { headers: { "x-role": "guest,admin" } }, 200),
        row("does not take an underscore for a hyphen", { headers: { x_role: "guest" } }, 200),
        row("does not match a missing header", {}, 200),
      ],
    ),
    group(
      "DENY of all but one host",
      [
        policy("deny", {
          action: "DENY",
          rules: [{ to: [{ operation: { notHosts: ["shop.example.com", "shop.example.com:*"] } }] }],
        }),
      ],
      [
        row("lets the host pass", { host: "shop.example.com" }, 200),
        row("lets the host pass in capitals", { host: "SHOP.example.COM" }, 200),
        row("lets the host pass with a port", { host: "shop.example.com:8080" }, 200),
        row("rejects a longer name", { host: "shop.example.com.evil" }, 403, deny),
        row("rejects a name with a dot at its end", { host: "shop.example.com." }, 403, deny),
        row("rejects another host", { host: "other" }, 403, deny),
      ],
    ),
    group(
      "DENY by addresses",
      [
        policy("deny-direct", { action: "DENY", rules: [{ from: [{ source: { ipBlocks: ["127.0.3.0/24"] } }] }] }),
        policy("deny-remote", { action: "DENY", rules: [{ from: [{ source: { remoteIpBlocks: ["10.1.0.0/16"] } }] }] }),
      ],
      [
        row(
          "rejects the address of the connection",
          { from: "127.0.3.9" },
          403,
          "AuthorizationPolicy deny-direct rule 0",
        ),
        row("lets other addresses pass", { from: "127.0.4.9" }, 200),
        row(
          "does not take a forwarded address for that of the connection",
          { headers: { "x-forwarded-for": "127.0.3.9" } },
          200,
        ),
        row(
          "rejects a forwarded address",
          { headers: { "x-forwarded-for": "10.1.2.3" } },
          403,
          "AuthorizationPolicy deny-remote rule 0",
        ),
        row("looks at the last forwarded address", { headers: { "x-forwarded-for": "10.1.2.3, 10.9.9.9" } }, 200),
        row("ignores what is no address", { headers: { "x-forwarded-for": "10.1.2.x" } }, 200),
      ],
    ),
    group(
      "Remote addresses at a gateway",
      [
        policy("deny", {
          action: "DENY",
          rules: [{ from: [{ source: { remoteIpBlocks: ["127.0.3.0/24", "10.1.0.0/16"] } }] }],
        }),
      ],
      [
        row("are those of connections", { from: "127.0.3.9" }, 403, deny),
        row("are not what clients say", { headers: { "x-forwarded-for": "10.1.2.3" } }, 200),
      ],
      { at: "router" },
    ),
  ],
};
