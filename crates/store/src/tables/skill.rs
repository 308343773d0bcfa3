//! What everybody can find by a skill.

use crate::error::Result;
use crate::params;
use crate::tx::Tx;

/// A skill as it is compared: people write it as they like.
pub(crate) fn folded(skill: &str) -> String {
    skill.trim().to_lowercase()
}

impl Tx<'_> {
    /// Makes something to be found by these skills and no others; by none, it is not found.
    pub fn index_skills(&mut self, subject: &impl ToString, skills: &[String]) -> Result<()> {
        let subject = subject.to_string();
        self.put("DELETE FROM skills WHERE subject_id = $1", params![subject])?;
        for skill in skills {
            // Two ways to write a skill are one.
            self.put(
                "INSERT INTO skills (skill, subject_id) VALUES ($1, $2) ON CONFLICT (skill, subject_id) DO NOTHING",
                params![folded(skill), subject],
            )?;
        }
        Ok(())
    }
}
