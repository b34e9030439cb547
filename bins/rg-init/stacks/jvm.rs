//! Maven and Gradle.

use crate::part::Part;
use crate::proposal::Plan;
use review_gate::donefile::CheckKind::{Lint, Test};

/// The build files of Gradle.
const GRADLE: [&str; 4] = ["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"];

/// Plugins of Gradle that add linters to its task `check`.
const LINTERS: [&str; 7] = ["checkstyle", "spotbugs", "pmd", "detekt", "ktlint", "spotless", "codenarc"];

/// Whether a part is a project of Maven.
pub fn is_maven(part: &Part) -> bool {
    part.has(&["pom.xml"])
}

/// Tests.
pub fn maven(part: &Part, plan: &mut Plan) {
    let program = if part.has(&["mvnw"]) { "./mvnw" } else { "mvn" };
    plan.check(part, "maven", "pom.xml", ("tests", Test), &format!("{program} -B -q test"));
    let text = part.text("pom.xml");
    for plugin in ["maven-checkstyle-plugin", "spotbugs-maven-plugin", "maven-pmd-plugin"] {
        if text.contains(plugin) {
            plan.note(&format!("{}: {plugin} may need a check of its own", part.shown("pom.xml")));
        }
    }
}

/// Whether a part is a build of Gradle.
pub fn is_gradle(part: &Part) -> bool {
    part.has(&GRADLE)
}

/// Tests, and the task `check` without tests if a linter is configured. No daemon is started, because it would outlive the check.
pub fn gradle(part: &Part, plan: &mut Plan) {
    let program = if part.has(&["gradlew"]) { "./gradlew" } else { "gradle" };
    let file = part.first(&GRADLE).unwrap_or("build.gradle");
    let run = |task: &str| format!("{program} --no-daemon --console=plain {task}");
    plan.check(part, "gradle", file, ("tests", Test), &run("test"));
    let builds = GRADLE.map(|name| part.text(name)).concat();
    if LINTERS.iter().any(|plugin| builds.contains(plugin)) {
        plan.check(part, "gradle", file, ("lint", Lint), &run("check -x test"));
    }
}
