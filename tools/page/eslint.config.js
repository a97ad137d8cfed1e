import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  { ignores: ["**/preact*.js", "**/static/**"] },
  { languageOptions: { globals: globals.browser }, rules: { "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }], eqeqeq: ["error", "smart"], "prefer-const": "error", "no-var": "error" } },
];
