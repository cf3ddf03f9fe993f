//! Each setting is rehearsed before the first batch that is compiled under it. An unusable one is left out, with a
//! warning.

use std::sync::Arc;

use super::{Hunt, Line};
use crate::setting::Setting;
use crate::signature::without_scratch;
use crate::target::Target;

impl Hunt<'_> {
    /// The settings under which known programs can be compiled and run; if there is none, why.
    pub(super) fn rehearsed(
        &self,
        line: &Line,
        target: &Arc<dyn Target>,
        settings: Vec<Setting>,
    ) -> Result<Vec<Setting>, String> {
        let Some(rehearsal) = self.rehearsals.get(line.method.name()) else { return Ok(settings) };
        let mut objection = None;
        let (name, bench) = (target.name(), &self.campaign.bench);
        let mut usable = settings;
        usable.retain(|setting| {
            let Some((why, news)) = rehearsal.objection(target.as_ref(), setting, bench) else {
                return true;
            };
            let why = without_scratch(&format!("setting {}: {why}", setting.name));
            if news {
                self.campaign.warn(format!("{name}: left out: {why}"));
            }
            objection = Some(why);
            false
        });
        match objection {
            Some(why) if usable.is_empty() => Err(why),
            Some(_) | None => Ok(usable),
        }
    }
}
