/** Shown in a checkout whose front-end was not built. The API works without it. */
export const notBuiltPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Binnacle</title></head>
<body>
<h1>The desk is not built</h1>
<p>The pages of the desk are missing from this installation. In a checkout, run <code>npm run build</code> and restart
the server.</p>
<p>The <a href="/debug">debug pages</a> and the <a href="/api/v1/overview">JSON API</a> work without them.</p>
</body>
</html>
`;
