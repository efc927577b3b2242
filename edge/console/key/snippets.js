// The first commands to run with a new key.

/** @param {string} uploadUrl */
export function firstCommands(uploadUrl) {
  const developer = `${uploadUrl}/api/php/developer`;
  return [
    { name: "curl", text: [
      "read -rs API_KEY   # paste the key; it is not shown",
      `curl -sS ${developer}/upload_limits -H "Authorization: Bearer $API_KEY"`,
      `curl -sS ${developer}/upload_video -H "Authorization: Bearer $API_KEY" \\`,
      '  -F upload_token="$(uuidgen)" -F caption="My first video" -F file=@clip.mp4',
    ].join("\n") },
    { name: "clipgate", text: [
      `clipgate login --url ${uploadUrl}   # asks for the key`,
      "clipgate limits",
      "clipgate upload clip.mp4 --caption 'My first video' --wait",
    ].join("\n") },
  ];
}
